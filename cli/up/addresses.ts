import type { Addresses } from '../../config/resolve.ts';
import { workflowUrl, type TemporalPages } from '../../view/workflow-url.ts';

/** Addresses that `up` and `watch` print first. */
export interface ShownAddresses {
  /** URL of the Temporal Web UI, where it is known. */
  temporalUi: string | null;
  /** host:port of Temporal, where it is known. */
  temporal: string | null;
  /** What a shell has to export before it can steer with `temporal`; empty where it has it. */
  shell: string[];
  /** How a person gets into Postgres, as of `postgresCommand`. */
  postgres: string;
  /** Where the dashboard is; null where none runs. */
  dashboard: string | null;
}

/** Addresses for a person's eyes: the research's page in the Web UI, no password anywhere. */
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

/** Where the dashboard is, and what lets a person in: the address alone does not. */
export const dashboardLine = (url: string): string => `${url}  (npx perpetua dashboard opens it)`;

const pagesOf = (temporal: Addresses['temporal'] | null): TemporalPages | null =>
  temporal?.uiUrl ? { uiUrl: temporal.uiUrl, namespace: temporal.namespace } : null;

/** Temporal's address, or the line that a shell takes over to reach it. */
export const temporalLine = (address: string, shell: readonly string[]): string =>
  shell.length === 0 ? address : `export ${shell.join(' ')}`;

/** The URL with its password taken out. */
export function withoutPassword(url: string): string {
  const parsed = new URL(url);
  parsed.password = '';
  return parsed.toString();
}
