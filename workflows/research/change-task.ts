import { activitiesOf } from './activities.ts';
import { wake, type State } from './state.ts';

/** Changes the research to the task as it is now on disk. */
export async function changeTask(state: State, { task, key }: { task: string; key: string }) {
  const { slow } = activitiesOf(state.input.tempo ?? 1, 'message from a person');
  const changed = await slow.changeTask({ researchId: state.id, task, key });
  state.taskName = changed.taskName;
  state.pool = changed.pool;
  wake(state);
  return changed;
}
