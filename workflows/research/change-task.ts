import type { Sender } from '../../domain/messages/sender.ts';
import { activitiesOf } from './activities.ts';
import { wake, type State } from './state.ts';

/** A person's change of the task. `sender`: absent if the message names none. */
export interface TaskChange {
  task: string;
  key: string;
  sender?: Sender;
}

/** Changes the research to the task as it is now on disk. */
export async function changeTask(state: State, change: TaskChange) {
  const { slow } = activitiesOf(state.input.tempo ?? 1, 'message from a person');
  const changed = await slow.changeTask({ researchId: state.id, ...change });
  state.taskName = changed.taskName;
  state.pool = changed.pool;
  wake(state);
  return changed;
}
