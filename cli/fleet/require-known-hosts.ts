import { refused } from '../errors.ts';

/** Refuses names that no host of the fleet has. */
export function requireKnownHosts(names: readonly string[], hosts: readonly { name: string }[]): void {
  const known = hosts.map(({ name }) => name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw refused(`Expected hosts of the fleet (${known.join(', ') || 'it has none'}), got ${unknown.join(', ')}.`);
}
