import { activitiesOf } from './activities.ts';
import { wake, type State } from './state.ts';

/** Loads a task as it is now on disk and goes on with it. */
export async function changeTask(state: State, { task, key }: { task: string; key: string }) {
  const { slow } = activitiesOf(state.input.tempo ?? 1, 'a message of a person');
  const changed = await slow.changeTask({ researchId: state.id, task, key });
  state.taskName = changed.taskName;
  state.pool = changed.pool;
  wake(state);
  return changed;
}
