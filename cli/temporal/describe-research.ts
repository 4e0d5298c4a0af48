import type { Task } from '../../domain/task/task.ts';

/** The server takes 400 bytes of summary and 20,000 of details, encoded as JSON: quotes and line ends count twice. */
const SUMMARY_BYTES = 190;
const DETAILS_BYTES = 9000;

/** What of a task is told. */
export type Described = Pick<Task, 'name' | 'description' | 'metric' | 'mutable'>;

/** What the Web UI shows of a research from its start on: what it is about, in Markdown, and how to steer it. */
export const describeResearch = ({ name, description, metric, mutable }: Described) => ({
  staticSummary: cutToBytes(`${name}: ${description}`, SUMMARY_BYTES),
  staticDetails: [
    cutToBytes(description, DETAILS_BYTES / 2),
    '',
    `- metric: ${metric.name}${metric.unit ? ` (${metric.unit})` : ''}, ${metric.direction}`,
    `- proposals edit: ${cutToBytes(mutable.map((glob) => `\`${glob}\``).join(', '), DETAILS_BYTES / 2)}`,
    '- signals: `pause`, `resume`, `stop`, `note`, `inject`, `changeTask`; updates: `setBudget`, `setWindow`, `overrideVerdict`',
    '- what it found: `npx perpetua best`, `npx perpetua log`, and SQL (docs/guides/sql.md)',
  ].join('\n'),
});

/** A text of at most so many bytes of UTF-8: cut between characters, with an ellipsis. */
function cutToBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes - Buffer.byteLength('…')));
  return `${text.slice(0, read)}…`;
}
