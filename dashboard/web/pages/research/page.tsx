import { AttentionList } from '../../parts/state/attention.tsx';
import { Empty } from '../../parts/empty.tsx';
import { CallRates } from '../../parts/call-rates.tsx';
import { Panel } from '../../parts/panel.tsx';
import { BudgetPanel } from './budget.tsx';
import { Claims } from './claims.tsx';
import { Curve, useCourse } from './curve/curve.tsx';
import { Feed } from './feed.tsx';
import { Happened } from './happened.tsx';
import { ResearchHeader, useResearch } from './header.tsx';
import { Headline } from './headline.tsx';
import { LatestIdea } from './idea.tsx';
import { Next } from './next.tsx';
import { Notes } from './notes.tsx';
import { Steer } from './steer.tsx';
import { Tally } from './tally.tsx';
import { UnderWay } from './under-way.tsx';

/** A research on one screen: what it found, what it does, what it costs, what comes next. */
export function ResearchPage({ at: { id = '' } }: { at: Record<string, string> }) {
  const { data: research, error } = useResearch(id);
  const course = useCourse(id);
  return (
    <>
      <ResearchHeader id={id} tab="overview" research={research} />
      {research === undefined ? (
        <Empty>{error ? error.message : 'Reading the research'}</Empty>
      ) : (
        <>
          <AttentionList attention={research.attention} />
          <Headline research={research} />
          <div className="overview">
            <Curve research={research} course={course} />
            <div className="column now">
              <UnderWay research={research} />
              <Next research={research} />
            </div>
            <div className="three">
              <LatestIdea research={research} />
              <Feed research={research} />
              <div className="column">
                <BudgetPanel research={research} />
                <Steer research={research} />
              </div>
            </div>
            <div className="column">
              <Claims research={research} />
              <Happened research={research} />
            </div>
            <div className="column">
              <Notes research={research} />
              <Tally research={research} />
              {research.status.rates === null ? null : (
                <Panel title="Calls of the model" note="how they go, and what a claim costs">
                  <CallRates rates={research.status.rates} of={id} />
                </Panel>
              )}
            </div>
          </div>
        </>
      )}
    </>
  );
}
