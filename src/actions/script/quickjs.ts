import address from '@jitl/quickjs-wasmfile-release-sync/wasm?url';
import { metered } from './metered.ts';
import { fileOfBuild } from './platform.ts';

let loading: Promise<WebAssembly.Module> | null = null;

/**
 * QuickJS, compiled once in this worker and held to its limits ({@link metered}). Rejects when its file cannot be loaded,
 * and tries again at the next call.
 */
export async function loadQuickJs(): Promise<WebAssembly.Module> {
  loading ??= compile();
  try {
    return await loading;
  } catch (error) {
    loading = null;
    throw error;
  }
}

async function compile(): Promise<WebAssembly.Module> {
  const response = await fileOfBuild(address);
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  return WebAssembly.compile(metered(new Uint8Array(await response.arrayBuffer())));
}
