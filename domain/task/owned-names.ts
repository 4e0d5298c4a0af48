const EXACT = new Set([
  'DATABASE_URL',
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'CUDA_VISIBLE_DEVICES',
  'PGPASSWORD',
  'PGPASSFILE',
  'LD_PRELOAD',
]);
const PREFIXES = ['TEMPORAL_', 'PERPETUA_', 'OPENAI_', 'OTEL_'];

/** True for an environment variable that belongs to the platform: its secrets, addresses, and what it sets itself. */
export function isOwnedName(name: string): boolean {
  const upper = name.toUpperCase();
  return EXACT.has(upper) || PREFIXES.some((prefix) => upper.startsWith(prefix));
}
