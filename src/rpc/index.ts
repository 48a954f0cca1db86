export * from './contract.ts';
export * from './hint.ts';
