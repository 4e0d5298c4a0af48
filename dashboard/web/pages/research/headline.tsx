import type { ReactNode } from 'react';
import type { FigureName } from '../../../api/figures.ts';
import type { Research } from '../../../api/research.ts';
import { formatCount, formatSeconds, formatUsd, unitText } from '../../../../domain/text/format.ts';
import { formatInteger, formatResult, formatSigned, formatValue } from '../../parts/numbers.ts';
import { parseTrialId } from '../../../../domain/trial/ids.ts';
import { plural } from '../../../../domain/text/plural.ts';
import { describeSource } from '../../../../view/rows/gain-source.ts';
import { lacksBaseline } from '../../../../view/rows/baseline.ts';
import { describeOutside, describeTrust } from '../../../../view/trial/verdict.ts';
import { Figure } from '../../parts/figure.tsx';
import { betterDirectionLabel, halfWidth, intervalNote, valueWhenClaimed } from '../../parts/value.tsx';
import { TrialLink } from '../../parts/trial-link.tsx';

/** Results of a research in six facts: the claimed best comes first and is the largest. */
export function Headline({ research }: { research: Research }) {
  return (
    <dl className="headline">
      <Best research={research} />
      <Gain research={research} />
      <RawBest research={research} />
      <Baseline research={research} />
      <Trials research={research} />
      <Spent research={research} />
    </dl>
  );
}

interface Fact {
  name: string;
  /** Role of the number, which decides its style. */
  role?: 'claim' | 'luck';
  note: ReactNode;
  children: ReactNode;
}

const Fact = ({ name, role, note, children }: Fact) => (
  <div data-of={role}>
    <dt>{name}</dt>
    <dd>{children}</dd>
    <dd className="note">{note}</dd>
  </div>
);

function Best({ research: { status, metric, best: measured, claims } }: { research: Research }) {
  const { best, baseline, workflowId: id, unit } = status;
  const name = `Claimed best ${metric.name}, ${betterDirectionLabel(metric.direction)}`;
  if (best === null || measured === null) {
    return (
      <Fact name={name} role="claim" note="the unmodified version comes first">
        <span className="quiet">not measured yet</span>
      </Fact>
    );
  }
  const half = halfWidth(measured);
  const noise = half || baseline?.sd;
  const claim = claims.at(-1);
  const then = claim?.candidateId === best.candidateId ? valueWhenClaimed(claim, noise) : null;
  const trial = best.trialId === null ? undefined : parseTrialId(best.trialId);
  const source = best.unmodified || !trial ? 'the unmodified version, so far' : <TrialLink research={id} n={trial.n} />;
  return (
    <Fact
      name={name}
      role="claim"
      note={
        <>
          {source} ·{' '}
          <Figure figure="best.n" scopeId={id} value={measured.n}>
            {plural(measured.n, 'run')}
          </Figure>{' '}
          · {intervalNote(measured)}
          {then === null ? null : ` · ${then}`}
          {best.basis === undefined || best.basis === null ? null : ` · ${best.basis}`}
          {best.outside === undefined ? null : ` ·${describeOutside(best)}`}
        </>
      }
    >
      <Figure figure="best.value" scopeId={id} value={best.value}>
        {formatResult(best.value, noise)}
      </Figure>
      {half === null ? null : <span className="around"> ± {formatValue(half, noise)}</span>}
      <span className="unit">
        {unitText(unit)}
        {describeTrust(best)}
      </span>
    </Fact>
  );
}

function Gain({ research: { status } }: { research: Research }) {
  const { gain, baseline, unit } = status;
  const { claim } = gain;
  if (lacksBaseline(status)) {
    return (
      <Fact name="Gain over the unmodified version" note="the unmodified version has no value">
        <span className="quiet">unknown</span>
      </Fact>
    );
  }
  if (claim === null || claim.gain === 0) {
    return (
      <Fact name="Gain over the unmodified version" note="nothing is claimed yet">
        <span className="quiet">none yet</span>
      </Fact>
    );
  }
  const noise = halfWidth({ ...claim, value: claim.gain }) || baseline?.sd;
  const interval =
    claim.high > claim.low ? `95 %: ${formatSigned(claim.low, noise)} to ${formatSigned(claim.high, noise)} · ` : '';
  return (
    <Fact name="Gain over the unmodified version" note={`${interval}${describeSource(claim)}`}>
      {formatSigned(claim.gain, noise)}
      <span className="unit">{unitText(unit)}</span>
    </Fact>
  );
}

function RawBest({ research: { status } }: { research: Research }) {
  const { gain, baseline, unit, workflowId: id } = status;
  const { raw } = gain;
  return (
    <Fact
      name="Best run of a proposal"
      role="luck"
      note={
        raw === null ? (
          'no idea has a value yet'
        ) : (
          <>
            <TrialLink research={id} n={raw.n} /> · not corrected for selection
          </>
        )
      }
    >
      <Figure figure="rawBest.value" scopeId={id} value={raw?.value}>
        {raw === null ? '–' : `${formatResult(raw.value, baseline?.sd)}`}
      </Figure>
      <span className="unit">{raw === null ? '' : unitText(unit)}</span>
    </Fact>
  );
}

function Baseline({ research: { status } }: { research: Research }) {
  const { baseline, unit, workflowId: id } = status;
  if (baseline === null) {
    const none = lacksBaseline(status);
    return (
      <Fact name="Unmodified version" note={none ? 'none of its runs gave a value' : 'its runs come first'}>
        <span className="quiet">{none ? 'no value' : 'not measured yet'}</span>
      </Fact>
    );
  }
  return (
    <Fact
      name="Unmodified version"
      note={
        <>
          one run varies by{' '}
          <Figure figure="baseline.sd" scopeId={id} value={baseline.sd}>
            {formatValue(baseline.sd, baseline.sd)}
          </Figure>{' '}
          (sd) ·{' '}
          <Figure figure="baseline.n" scopeId={id} value={baseline.n}>
            {plural(baseline.n, 'run')}
          </Figure>
        </>
      }
    >
      <Figure figure="baseline.value" scopeId={id} value={baseline.value}>
        {formatResult(baseline.value, baseline.sd)}
      </Figure>
      <span className="unit">
        {unitText(unit)}
        {describeTrust(baseline)}
      </span>
    </Fact>
  );
}

function Trials({ research: { status } }: { research: Research }) {
  const { trials, slots, workflowId: id } = status;
  const number = (figure: FigureName, value: number) => (
    <Figure figure={figure} scopeId={id} value={value}>
      {formatInteger(value)}
    </Figure>
  );
  return (
    <Fact
      name="Trials ended"
      note={
        <>
          {number('trials.running', trials.running)} under way · {number('slots.leased', slots.leased)} of{' '}
          {number('slots.total', slots.total)} slots busy
        </>
      }
    >
      {number('trials.ended', trials.ended)}
    </Fact>
  );
}

function Spent({ research: { status } }: { research: Research }) {
  const { spend, workflowId: id } = status;
  const usedModel = spend.usd > 0 || spend.tokens > 0;
  const slots = (
    <Figure figure="spend.slotSeconds" scopeId={id} value={spend.slotSeconds}>
      {formatSeconds(spend.slotSeconds)}
    </Figure>
  );
  if (!usedModel)
    return (
      <Fact name="Spent on slots" note="no model was called">
        {slots}
      </Fact>
    );
  return (
    <Fact
      name="Spent"
      note={
        <>
          {slots} on slots ·{' '}
          <Figure figure="spend.tokens" scopeId={id} value={spend.tokens}>
            {`${formatCount(spend.tokens)} tokens`}
          </Figure>
        </>
      }
    >
      <Figure figure="spend.usd" scopeId={id} value={spend.usd}>
        {formatUsd(spend.usd)}
      </Figure>
    </Fact>
  );
}
