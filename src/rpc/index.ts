export * from './bulk-contract.ts';
export * from './contract.ts';
export * from './storage.ts';
export * from './hint.ts';
export * from './import-contract.ts';
export * from './run-list-contract.ts';
