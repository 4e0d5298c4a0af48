import type { Spend as Data } from '../../../api/spend.ts';
import { withQuery } from '../../data/fetch-json.ts';
import { useResource } from '../../data/use-resource.ts';
import { CallRates } from '../../parts/call-rates.tsx';
import { ExportMenu } from '../../parts/export/export-menu.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Panel } from '../../parts/panel.tsx';
import { hrefOf, setParams, useAddress } from '../../router.ts';
import { Budgets } from './budgets.tsx';
import { Models } from './models.tsx';
import { OverTime } from './over-time.tsx';
import { Researches } from './researches.tsx';
import { Totals } from './totals.tsx';
import { isEmpty, stretchOf, unitOf } from './units.ts';
import { spendView } from './view.ts';
import { minutesAhead } from '../../parts/zone.ts';

/** Page of the spend in money, tokens and slot time, of one research or of all. */
export function Spend() {
  const { params } = useAddress();
  const research = params.get('research');
  const stretch = stretchOf(params.get('by'));
  const unit = unitOf(params.get('unit'));
  const refresh = { everyMs: 30_000, ...(research === null ? {} : { research }) };
  const { data, error } = useResource<Data>(
    withQuery('spend', { research, by: stretch, ahead: minutesAhead() }),
    refresh,
  );
  return (
    <>
      <div className="title">
        <h1>Spend</h1>
        <Scope research={research} />
        {data ? (
          <span className="title-end">
            <ExportMenu view={() => spendView(data, { research, stretch, unit })} />
          </span>
        ) : null}
      </div>
      {!data ? (
        <Empty>{error ? error.message : 'Reading the spend'}</Empty>
      ) : (
        <>
          <Totals spend={data} scopeId={research} />
          {isEmpty(data) ? (
            <Empty>Nothing has been spent yet. Spending starts with the first model call or the first run.</Empty>
          ) : (
            <div className="grid">
              <OverTime spend={data} stretch={stretch} unit={unit} />
              <Panel title="Budgets" className="span-6" note="forecast at the speed of the last 24 hours">
                <Budgets spend={data} />
              </Panel>
              <Panel title="By research" className="span-6">
                <Researches spend={data} unit={unit} />
              </Panel>
              {data.rates === null ? null : (
                <Panel title="Calls of models" note="their rates, and the cost of a claim">
                  <CallRates rates={data.rates} scopeId={research} />
                </Panel>
              )}
              <Panel title="By model">
                <Models spend={data} scopeId={research} />
              </Panel>
            </div>
          )}
        </>
      )}
    </>
  );
}

/** The research that the numbers belong to, or all researches. */
function Scope({ research }: { research: string | null }) {
  if (research === null) return <span className="quiet">of all researches</span>;
  return (
    <span className="row">
      <span className="quiet">
        of <a href={hrefOf(['r', research])}>{research}</a>
      </span>
      <button type="button" className="button" onClick={() => setParams({ research: null })}>
        All researches
      </button>
    </span>
  );
}
