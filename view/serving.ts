import { plainMarkdown } from '../domain/text/markdown.ts';

/** State of a server, as its workflow knows it. */
export interface Serving {
  taskName: string;
  /** `at`: beginning of the state, in ISO 8601. `seconds`: time until the next start. */
  state:
    { is: 'waiting' | 'starting' } | { is: 'ready'; host: string; at: string } | { is: 'pausing'; seconds: number };
  /** End of its last run, in words; null before the first. */
  last: string | null;
}

/** Renders the current details of a server's workflow: Markdown for Temporal's Web UI. */
export function renderServing({ taskName, state, last }: Serving): string {
  const rows = [describeState(state)];
  if (last !== null) rows.push(`its last run ${last}`);
  return [`### a server of ${plainMarkdown(taskName)}`, ...rows.map((row) => `- ${plainMarkdown(row)}`)].join('\n');
}

function describeState(state: Serving['state']): string {
  switch (state.is) {
    case 'waiting':
      return 'waits for a slot';
    case 'starting':
      return 'started, not ready yet';
    case 'ready':
      return `ready on ${state.host} since ${state.at}`;
    case 'pausing':
      return `starts again in ${Math.ceil(state.seconds)} s`;
  }
}
