import type { FigureName } from '../../../api/figures.ts';
import type { Spend } from '../../../api/spend.ts';
import { formatCount, formatSeconds, formatUsd } from '../../../../domain/text/format.ts';
import { Figure } from '../../parts/figure.tsx';
import { Stat } from '../../parts/stat.tsx';

/** The total spend of the research `scopeId`, or of all, and the slot time that early abort saved. */
export function Totals({ spend: { total, savedSeconds, models }, scopeId }: { spend: Spend; scopeId: string | null }) {
  const unpriced = models.reduce((sum, model) => sum + model.unpriced, 0);
  const figure = (name: FigureName, value: number, words: string) => (
    <Figure figure={name} scopeId={scopeId} value={value}>
      {words}
    </Figure>
  );
  return (
    <dl className="stats">
      <Stat
        name="Money"
        note={unpriced === 0 ? undefined : `without ${formatCount(unpriced)} calls that have no price`}
      >
        {figure('spend.usd', total.usd, formatUsd(total.usd))}
      </Stat>
      <Stat
        name="Tokens"
        note={
          <>
            {figure('spend.tokensIn', total.tokensIn, formatCount(total.tokensIn))} read,{' '}
            {figure('spend.tokensOut', total.tokensOut, formatCount(total.tokensOut))} written
          </>
        }
      >
        {formatCount(total.tokensIn + total.tokensOut)}
      </Stat>
      <Stat
        name="Model calls"
        note={
          <>
            {figure('spend.repeatedCalls', total.repeatedCalls, formatCount(total.repeatedCalls))} sent again after a
            worker died
          </>
        }
      >
        {figure('spend.calls', total.calls, formatCount(total.calls))}
      </Stat>
      <Stat name="Time on slots">
        {figure('spend.slotSeconds', total.slotSeconds, formatSeconds(total.slotSeconds))}
      </Stat>
      <Stat
        name="Saved by early abort"
        note={savedSeconds === null ? 'nothing was stopped early' : 'estimated from the stopped runs'}
      >
        {formatSeconds(savedSeconds)}
      </Stat>
    </dl>
  );
}
