/** What only an import or an export needs. Loaded with the first. */
export { formatFile, parseFile } from '../domain/index.ts';
