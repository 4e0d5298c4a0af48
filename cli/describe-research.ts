import type { Task } from '../domain/task/task.ts';

/** As much as the Web UI shows of a summary. */
const SUMMARY_CHARACTERS = 200;

/** What of a task is told. */
export type Described = Pick<Task, 'name' | 'description' | 'metric' | 'mutable'>;

/** What the Web UI shows of a research from its start on: what it is about, in Markdown, and how to steer it. */
export const describeResearch = ({ name, description, metric, mutable }: Described) => ({
  staticSummary: `${name}: ${description}`.slice(0, SUMMARY_CHARACTERS),
  staticDetails: [
    description,
    '',
    `- metric: ${metric.name}${metric.unit ? ` (${metric.unit})` : ''}, ${metric.direction}`,
    `- proposals edit: ${mutable.map((glob) => `\`${glob}\``).join(', ')}`,
    '- signals: `pause`, `resume`, `stop`, `note`, `inject`, `changeTask`; updates: `setBudget`, `setWindow`, `overrideVerdict`',
    '- what it found: `npx perpetua best`, `npx perpetua log`, and SQL (README)',
  ].join('\n'),
});
