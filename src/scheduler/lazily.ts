/** `load`, done once for all who ask; what could not be loaded is asked for again, for it may have been the network. */
export function lazily<Part>(load: () => Promise<Part>): () => Promise<Part> {
  let loading: Promise<Part> | null = null;
  return () =>
    (loading ??= load().catch((error: unknown) => {
      loading = null;
      throw error;
    }));
}
