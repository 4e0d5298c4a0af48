import type { Setup } from '../../../api/setup.ts';
import { useResource } from '../../data/use-resource.ts';
import { Empty } from '../../parts/empty.tsx';
import { hrefOf } from '../../router.ts';
import { SetupSteps } from './setup-steps.tsx';

/** Interval of reads while the set-up is under way. The set-up has no events. */
export const SETUP_MS = 2000;

/** Page with the set-up of the stack. */
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
