export * from './contract.ts';
export * from './storage.ts';
export * from './hint.ts';
export * from './import-contract.ts';
