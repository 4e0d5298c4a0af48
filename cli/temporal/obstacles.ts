/** Obstacles of a research in Temporal: the state, its effect, and the command that helps. */
export const NO_WORKER = 'no worker is running, so nothing goes on. Start one: npx perpetua worker';
export const NO_ANSWER = 'Temporal does not answer';

const goOn = (id: string): string => `Go on with it: npx perpetua start TASK --id ${id}`;

/** Obstacle: Temporal has no workflow of the research. */
export const unknownWorkflow = (id: string): string =>
  `Temporal has no workflow of ${id}, so nothing new starts. ${goOn(id)}`;

/** Obstacle: the workflow of the research is closed. `how`: a verb phrase, such as `failed (…)`. */
export const closedWorkflow = (id: string, how: string): string =>
  `the workflow ${how}, so nothing new starts. ${goOn(id)}`;

/** Describes the end of an obstacle, or of failing work. `name`: the obstacle, or a name like `score of #6 fails`. */
export function describeObstacleEnd(name: string): string {
  if (name === NO_WORKER) return 'a worker is running again';
  if (name === NO_ANSWER) return 'Temporal answers again';
  if (name.endsWith(' fails')) return `${name.slice(0, -' fails'.length)} does not fail any more`;
  return 'the workflow is open again';
}
