/** Place of a secret: a variable of the worker's environment, or a file that only its owner may read. */
export type SecretPlace = { variable: string } | { file: string };

/** Reads `$NAME` or `file:/path`; null for any other text, which may be the secret itself. */
export function secretPlace(text: string): SecretPlace | null {
  const [, variable] = /^\$([A-Za-z_][A-Za-z0-9_]*)$/.exec(text) ?? [];
  if (variable !== undefined) return { variable };
  const [, file] = /^file:(\/.+)$/s.exec(text) ?? [];
  return file === undefined ? null : { file };
}
