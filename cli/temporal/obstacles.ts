/** What keeps a research from going on, in Temporal: the state, what it means, and the command that helps. */
export const NO_WORKER = 'no worker is running, so nothing goes on. Start one: npx perpetua worker';
export const NO_ANSWER = 'Temporal does not answer';

const goOn = (id: string): string => `Go on with it: npx perpetua start TASK --id ${id}`;

/** Temporal knows nothing of it. */
export const unknownWorkflow = (id: string): string =>
  `Temporal has no workflow of ${id}, so nothing new starts. ${goOn(id)}`;

/** Its workflow is closed; `how` says how. */
export const closedWorkflow = (id: string, how: string): string =>
  `the workflow ${how}, so nothing new starts. ${goOn(id)}`;

/** In words that such an obstacle, or something that failed (`score of #6 fails`), is there no more. */
export function describeObstacleEnd(name: string): string {
  if (name === NO_WORKER) return 'a worker is running again';
  if (name === NO_ANSWER) return 'Temporal answers again';
  if (name.endsWith(' fails')) return `${name.slice(0, -' fails'.length)} does not fail any more`;
  return 'the workflow is open again';
}
