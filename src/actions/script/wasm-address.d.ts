/** What the build makes of it: where the file is, beside the script that imports it. */
declare module '*/wasm?url' {
  const address: string;
  export { address as default };
}
