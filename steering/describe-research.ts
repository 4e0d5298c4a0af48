import type { Task } from '../domain/task/task.ts';

/**
 * Limits of the texts before their encoding as JSON, in which quotes and line ends count twice. The server accepts 400
 * bytes of summary and 20,000 bytes of details.
 */
const SUMMARY_BYTES = 190;
const DETAILS_BYTES = 9000;

/** Parts of a task that its description uses. */
export type Described = Pick<Task, 'name' | 'description' | 'metric' | 'mutable'>;

/** Summary and details of a research for the Web UI, in Markdown: its subject, and the ways to steer it. */
export const describeResearch = ({ name, description, metric, mutable }: Described) => ({
  staticSummary: cutToBytes(`${name}: ${description}`, SUMMARY_BYTES),
  staticDetails: [
    cutToBytes(description, DETAILS_BYTES / 2),
    '',
    `- metric: ${metric.name}${metric.unit ? ` (${metric.unit})` : ''}, ${metric.direction}`,
    `- proposals edit: ${cutToBytes(mutable.map((glob) => `\`${glob}\``).join(', '), DETAILS_BYTES / 2)}`,
    '- signals: `pause`, `resume`, `stop`, `note`, `inject`, `changeTask`; ' +
      'updates: `setBudget`, `setWindow`, `overrideVerdict`',
    '- results: `npx perpetua best`, `npx perpetua log`, and SQL (docs/guides/sql.md)',
  ].join('\n'),
});

/** Cuts a text to a number of bytes of UTF-8, between characters and with an ellipsis. */
function cutToBytes(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes - Buffer.byteLength('…')));
  return `${text.slice(0, read)}…`;
}
