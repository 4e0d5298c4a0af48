import type { Setup } from '../../../api/setup.ts';
import { useResource } from '../../data/use-resource.ts';
import { Empty } from '../../parts/empty.tsx';
import { hrefOf } from '../../router.ts';
import { SetupSteps } from './setup-steps.tsx';

/** How often the set-up is asked for while it is under way: it tells no events. */
export const SETUP_MS = 2000;

/** The set-up of the stack on a page of its own. */
export function SetupPage() {
  const { data, error } = useResource<Setup>('setup', { everyMs: SETUP_MS });
  return (
    <>
      <div className="title">
        <h1>Set-up</h1>
        <a href={hrefOf([])}>All researches</a>
      </div>
      {data ? <SetupSteps setup={data} /> : <Empty>{error ? error.message : 'Reading the set-up'}</Empty>}
    </>
  );
}
