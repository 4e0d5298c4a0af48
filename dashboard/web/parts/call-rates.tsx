import type { FigureName } from '../../api/figures.ts';
import type { CallRates as Rates } from '../../api/spend.ts';
import { finePercent, formatCount, formatSeconds, formatUsd } from '../../../domain/text/format.ts';
import { Figure } from './figure.tsx';
import { Stat } from './stat.tsx';

/**
 * Health of the model calls of the research `scopeId`; null: of all researches. The row `model` of `perpetua status`
 * has the same numbers.
 */
export function CallRates({ rates, scopeId }: { rates: Rates; scopeId: string | null }) {
  const { requests, answers, badRate, duplicateRate, limitedRate, latencySeconds, perClaim } = rates;
  const figure = (name: FigureName, value: number | null, format: (value: number) => string) => (
    <Figure figure={name} scopeId={scopeId} value={value}>
      {value === null ? '–' : format(value)}
    </Figure>
  );
  const claimCost = () => {
    if (perClaim === null)
      return (
        <Stat name="Cost of a claim" note="no claim yet">
          –
        </Stat>
      );
    const tokens = <>{figure('rates.tokensPerClaim', perClaim.tokens, formatCount)} tokens</>;
    if (!(perClaim.usd > 0)) return <Stat name="Cost of a claim">{tokens}</Stat>;
    return (
      <Stat name="Cost of a claim" note={tokens}>
        {figure('rates.usdPerClaim', perClaim.usd, formatUsd)}
      </Stat>
    );
  };
  return (
    <dl className="stats rates">
      <Stat name="Answers" note={<>of {figure('rates.requests', requests, formatCount)} requests</>}>
        {figure('rates.answers', answers, formatCount)}
      </Stat>
      <Stat name="Bad answers" note="not usable">
        {figure('rates.badRate', badRate, finePercent)}
      </Stat>
      <Stat name="Duplicates" note="of an earlier candidate">
        {figure('rates.duplicateRate', duplicateRate, finePercent)}
      </Stat>
      <Stat name="Refused with 429" note="of the requests">
        {figure('rates.limitedRate', limitedRate, finePercent)}
      </Stat>
      <Stat
        name="Median latency"
        note={latencySeconds && <>p95 {figure('rates.latencyP95', latencySeconds.p95, formatSeconds)}</>}
      >
        {figure('rates.latencyP50', latencySeconds?.p50 ?? null, formatSeconds)}
      </Stat>
      {claimCost()}
    </dl>
  );
}
