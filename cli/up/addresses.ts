import type { Addresses } from '../../config/resolve.ts';
import { workflowUrl, type TemporalPages } from '../../domain/view/workflow-url.ts';
import { widthOf } from '../render/text/text.ts';

/** What the live view prints at its foot. */
export interface ShownAddresses {
  /** URL of the Temporal Web UI, where it is known. */
  temporalUi: string | null;
  /** host:port of Temporal, where it is known. */
  temporal: string | null;
  /** What a shell has to export before it can steer with `temporal`; empty where it has it. */
  shell: string[];
  /** How a person gets into Postgres, as of `postgresShell`. */
  postgres: string;
  /** Where the dashboard is; null where none runs. */
  dashboard: string | null;
}

/** Addresses for a person's eyes: the research's page in the Web UI, no password anywhere. */
export const addressesOf = (input: {
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

/** Where Temporal is, as lines that a shell can take over: one where it fits, else one for each variable. */
export function temporalLines({ temporal, shell }: ShownAddresses, width: number): string[] {
  if (shell.length === 0) return temporal === null ? [] : [temporal];
  const whole = `export ${shell.join(' ')}`;
  return widthOf(whole) <= width ? [whole] : shell.map((one) => `export ${one}`);
}

/** How a person gets into Postgres: one line where it fits, else a shell's two where the command can be parted. */
export function postgresLines({ postgres }: Pick<ShownAddresses, 'postgres'>, width: number): string[] {
  const at = postgres.indexOf(SCRIPT);
  if (widthOf(postgres) <= width || at < 0) return [postgres];
  return [`${postgres.slice(0, at)} \\`, postgres.slice(at + 1)];
}

/** Where `postgresShell` begins what Node runs. */
const SCRIPT = " 'require(";

/** The URL with its password taken out. */
export function withoutPassword(url: string): string {
  const parsed = new URL(url);
  parsed.password = '';
  return parsed.toString();
}
