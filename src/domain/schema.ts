/** The `schema` number that this code writes into each row, and the newest that it understands. */
export const SCHEMA = 2;
