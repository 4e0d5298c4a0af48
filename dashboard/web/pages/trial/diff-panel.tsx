import type { AGAINST, Diff } from '../../../api/trials/diff.ts';
import type { Trial } from '../../../api/trials/trial.ts';
import { trialPath, withQuery } from '../../data/fetch-json.ts';
import { useResource } from '../../data/use-resource.ts';
import { Choice } from '../../parts/drawing/use-table-view.tsx';
import { DiffView } from '../../parts/diff/diff-view.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Panel } from '../../parts/panel.tsx';
import { useNarrow } from '../../shell/use-narrow.ts';
import { setParams, useAddress } from '../../router.ts';
import { trialRefresh } from './trial-refresh.ts';

type Against = (typeof AGAINST)[number];

const AGAINST_OPTIONS: { value: Against; words: string }[] = [
  { value: 'parent', words: 'its parent' },
  { value: 'baseline', words: 'the baseline' },
  { value: 'best', words: 'the best' },
];

/** Panel with the diff of the trial's sources against its parent, the baseline or the best. */
export function DiffPanel({ trial }: { trial: Trial }) {
  const { params } = useAddress();
  const against = AGAINST_OPTIONS.find(({ value }) => value === params.get('against'))?.value ?? 'parent';
  const split = params.get('diff') === 'split';
  const narrow = useNarrow();
  const path = withQuery(trialPath(trial.trialId, 'diff'), { against });
  const { data, error } = useResource<Diff>(path, trialRefresh(trial, against === 'best'));
  return (
    <Panel
      title="Change"
      note={data?.files.length ? `against ${data.against}` : undefined}
      end={
        <>
          <Choice
            label="Compare with"
            options={AGAINST_OPTIONS}
            value={against}
            choose={(value) => setParams({ against: value === 'parent' ? null : value })}
          />
          <SplitChoice split={split} onSplit={(next) => setParams({ diff: next ? 'split' : null })} />
        </>
      }
    >
      {data ? (
        <DiffView key={against} diff={data} split={split && !narrow} />
      ) : (
        <Empty>{error ? error.message : 'Reading the change'}</Empty>
      )}
    </Panel>
  );
}

/** Choice between a unified and a side-by-side diff, on wide screens only. */
export const SplitChoice = ({ split, onSplit }: { split: boolean; onSplit: (split: boolean) => void }) => (
  <span className="wide-only">
    <Choice
      label="View of the change"
      options={[
        { value: 'unified', words: 'Unified' },
        { value: 'split', words: 'Side by side' },
      ]}
      value={split ? 'split' : 'unified'}
      choose={(view) => onSplit(view === 'split')}
    />
  </span>
);
