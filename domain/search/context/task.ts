import { truncate, promptLine, stripControls } from '../../prompt/strip-controls.ts';
import { numberText } from '../../text/format.ts';
import type { ContextPart } from '../context.ts';

/** Share of the part for the task's own text for the proposer. */
const OWN_TEXT = 0.7;
/** Share of the part for the task's description. */
const DESCRIPTION = 0.2;

/** The task: its description, metric, command and budget, and its own text for the proposer. */
export const task: ContextPart = {
  name: 'task',
  cuts: "the end of the task's own text, which has 70 % of the part, and of the description, which has 20 %",
  tokens: 8000,
  applies: () => true,
  render: ({ task, prompt }, room) => {
    const { metric, run } = task;
    const [better, sign] = metric.direction === 'minimize' ? ['lower', 'negative'] : ['higher', 'positive'];
    const unit = metric.unit === undefined ? '' : ` in ${metric.unit}`;
    const facts = [`metric: ${metric.name}${unit}, ${better} is better: an EXPECTED_DELTA that improves it is ${sign}`];
    if (metric.optimum !== undefined) facts.push(`best possible value: ${numberText(metric.optimum)}`);
    for (const { name, value } of metric.known ?? []) facts.push(`known value: ${numberText(value)} (${name})`);
    if (run)
      facts.push(`run: ${promptLine(run.command, 300)}`, `budget: ${run.budget.seconds} s of ${run.budget.kind} time`);
    const ownText =
      prompt === null ? '' : `\n${truncate(stripControls(prompt).trim(), Math.floor(room * OWN_TEXT), 'head')}\n`;
    const description = truncate(stripControls(task.description).trim(), Math.floor(room * DESCRIPTION), 'head');
    return `# ${task.name}\n\n${description}\n\n${facts.map((fact) => `- ${fact}`).join('\n')}\n${ownText}`;
  },
};
