/** Decodes UTF-8 text; null if the bytes are no UTF-8. A byte order mark stays. */
export function decodeText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null; // The caller reports it, since it knows the file.
  }
}
