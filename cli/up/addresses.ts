import type { Addresses } from '../../config/resolve.ts';

/** What the live view prints at its foot. */
export interface ShownAddresses {
  /** URL of the Temporal Web UI, where it is known. */
  temporalUi: string | null;
  /** host:port of Temporal, where it is known. */
  temporal: string | null;
  /** URL of Postgres without its password. */
  postgres: string;
}

/** Addresses for a person's eyes: the research's page in the Web UI, no password anywhere. */
export const addressesOf = (input: {
  databaseUrl: string;
  temporal: Addresses['temporal'] | null;
  researchId: string;
}): ShownAddresses => ({
  temporalUi: input.temporal?.uiUrl
    ? `${input.temporal.uiUrl.replace(/\/$/, '')}/namespaces/${encodeURIComponent(input.temporal.namespace)}/workflows/${encodeURIComponent(input.researchId)}`
    : null,
  temporal: input.temporal?.address ?? null,
  postgres: withoutPassword(input.databaseUrl),
});

/** The URL with its password taken out. */
export function withoutPassword(url: string): string {
  const parsed = new URL(url);
  parsed.password = '';
  return parsed.toString();
}
