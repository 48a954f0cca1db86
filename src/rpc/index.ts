export * from './contract.ts';
export * from './hint.ts';
export * from './import-contract.ts';
