import type { Addresses } from '../../config/resolve.ts';
import { workflowUrl, type TemporalPages } from '../../view/workflow-url.ts';

/** Addresses that `up` and `watch` print first. */
export interface ShownAddresses {
  /** URL of the research's page in the Temporal Web UI; null if not known. */
  temporalUi: string | null;
  /** Temporal's host:port; null if not known. */
  temporal: string | null;
  /** Variables that a shell exports before it uses `temporal`; empty if the shell has them. */
  shell: string[];
  /** Result of `postgresCommand`. */
  postgres: string;
  /** URL of the dashboard; null if none runs. */
  dashboard: string | null;
}

/** Addresses for display, without passwords. */
export const shownAddresses = (input: {
  postgres: string;
  temporal: Addresses['temporal'] | null;
  researchId: string;
  shell: string[];
  dashboardPort: number | null;
}): ShownAddresses => ({
  temporalUi: workflowUrl(pagesOf(input.temporal), input.researchId),
  temporal: input.temporal?.address ?? null,
  shell: input.temporal ? input.shell : [],
  postgres: input.postgres,
  dashboard: input.dashboardPort === null ? null : `http://127.0.0.1:${input.dashboardPort}`,
});

/** The dashboard's address with the command that opens it: the address alone has no token. */
export const dashboardLine = (url: string): string => `${url}  (npx perpetua dashboard opens it)`;

const pagesOf = (temporal: Addresses['temporal'] | null): TemporalPages | null =>
  temporal?.uiUrl ? { uiUrl: temporal.uiUrl, namespace: temporal.namespace } : null;

/** Temporal's address, or the line that sets it in a shell. */
export const temporalLine = (address: string, shell: readonly string[]): string =>
  shell.length === 0 ? address : `export ${shell.join(' ')}`;

/** A URL without its password. */
export function withoutPassword(url: string): string {
  const parsed = new URL(url);
  parsed.password = '';
  return parsed.toString();
}
