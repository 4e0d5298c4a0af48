import { useState } from 'react';
import type { z } from 'zod';
import type { Metric } from '../../../api/shared.ts';
import { unitText } from '../../../../domain/text/format.ts';
import { formatSigned } from '../../parts/numbers.ts';
import { plural } from '../../../../domain/text/plural.ts';
import type { Diff } from '../../../api/trials/diff.ts';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { claimText, valueText } from '../../parts/value.tsx';
import { hrefOfTrial } from '../../parts/trial-link.tsx';
import { trialPath, withQuery } from '../../data/fetch-json.ts';
import { useResource } from '../../data/use-resource.ts';
import { DiffView } from '../../parts/diff/diff-view.tsx';
import { Empty } from '../../parts/empty.tsx';
import { SETTLED } from '../trial/trial-refresh.ts';
import { NodeOutcome } from './node-card.tsx';
import type { Step } from './steps.ts';

interface Props {
  id: string;
  steps: readonly Step[];
  metric: z.infer<typeof Metric>;
  /** Sd of one run of the baseline, which gives the number of decimals. */
  sd: number | null;
}

/** List of the steps to the best: each with its idea, its gain and its claim. */
export function StepList({ id, steps, metric, sd }: Props) {
  if (steps.length === 0) return <p className="quiet">Nothing has been measured yet.</p>;
  return (
    <>
      <ol className="way" tabIndex={0} aria-label="Steps from the baseline to the best">
        {steps.map((step, index) => (
          <StepItem key={step.node.candidateId} id={id} step={step} index={index} metric={metric} sd={sd} />
        ))}
      </ol>
      {steps.length === 1 ? (
        <p className="quiet small">No change has proved better yet: the best is the unmodified version.</p>
      ) : null}
    </>
  );
}

type ItemProps = Pick<Props, 'id' | 'metric' | 'sd'> & { step: Step; index: number };

function StepItem({ id, step, index, metric, sd }: ItemProps) {
  const [shown, setShown] = useState(false);
  const { node, gain, total, claim } = step;
  const unit = unitText(metric.unit);
  return (
    <li data-claim={claim !== null && index > 0}>
      <p className="row">
        {node.n === null ? (
          <strong>Baseline</strong>
        ) : (
          <a href={hrefOfTrial(id, node.n)}>
            <strong>{index === 0 ? 'Baseline' : `#${node.n}`}</strong>
          </a>
        )}
        {index === 0 ? null : <NodeOutcome node={node} />}
        <span className="end step-value">
          {valueText(node.value, { sd, unit: metric.unit })}
          {node.value === null ? null : <span className="quiet small"> mean of {plural(node.scored, 'run')}</span>}
        </span>
      </p>
      <p className="idea">
        <Idea hypothesis={node.hypothesis} isBaseline={index === 0} />
      </p>
      {index === 0 ? null : (
        <>
          <p className="small step-gain">
            {gain === null ? (
              <span className="quiet">No value to compare</span>
            ) : (
              <strong data-better={gain > 0}>{`${formatSigned(gain, sd)}${unit}`}</strong>
            )}
            {gain === null ? null : <span className="quiet"> over the step before</span>}
            {total === null || index === 1 ? null : (
              <span className="quiet">{`, ${formatSigned(total, sd)}${unit} over the baseline`}</span>
            )}
          </p>
          {claim === null ? null : (
            <p className="small quiet">
              Claim: {claimText(claim, sd)}
              {unit}: <UntrustedText text={claim.reason} line max={600} />
            </p>
          )}
          {node.n === null ? null : (
            <details onToggle={(event) => setShown(event.currentTarget.open)}>
              <summary>Changes since the baseline</summary>
              {shown ? <StepDiff trialId={`${id}/${node.n}`} /> : null}
            </details>
          )}
        </>
      )}
    </li>
  );
}

function Idea({ hypothesis, isBaseline }: { hypothesis: string | null; isBaseline: boolean }) {
  if (isBaseline) return 'The unmodified version.';
  if (hypothesis === null) return <span className="quiet">No hypothesis.</span>;
  return <UntrustedText text={hypothesis} max={320} />;
}

/** Diff of a candidate, whose files never change, against the unmodified version. */
function StepDiff({ trialId }: { trialId: string }) {
  const { data, error } = useResource<Diff>(withQuery(trialPath(trialId, 'diff'), { against: 'baseline' }), SETTLED);
  if (!data) return <Empty>{error ? error.message : 'Reading the changes'}</Empty>;
  return <DiffView diff={data} split={false} />;
}
