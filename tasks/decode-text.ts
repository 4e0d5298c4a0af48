/** Bytes as UTF-8 text, or null where they are none. A byte order mark stays. */
export function decodeText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null; // Told to the user by the caller, who knows the file.
  }
}
