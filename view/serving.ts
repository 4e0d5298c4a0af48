import { plainMarkdown } from '../domain/text/markdown.ts';

/** Where a server stands, as its workflow knows it. */
export interface Serving {
  taskName: string;
  /** `at`: since when, ISO; `seconds`: from now. */
  state:
    { is: 'waiting' | 'starting' } | { is: 'ready'; host: string; at: string } | { is: 'pausing'; seconds: number };
  /** How its last run ended; null before the first. */
  last: string | null;
}

/** Temporal's current details of a server: Markdown for the Web UI. */
export function renderServing({ taskName, state, last }: Serving): string {
  const rows = [stateInWords(state), ...(last === null ? [] : [`its last run ${last}`])];
  return [`### a server of ${plainMarkdown(taskName)}`, ...rows.map((row) => `- ${plainMarkdown(row)}`)].join('\n');
}

function stateInWords(state: Serving['state']): string {
  switch (state.is) {
    case 'waiting':
      return 'waits for a slot';
    case 'starting':
      return 'started, and has not said yet that it is ready';
    case 'ready':
      return `ready on ${state.host} since ${state.at}`;
    case 'pausing':
      return `is begun again in ${Math.ceil(state.seconds)} s`;
  }
}
