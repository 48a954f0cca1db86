/** What only results need that are compared with the last. Loaded with the first. */
export { resultMark } from '../domain/index.ts';
