import { AttentionList } from '../../parts/attention.tsx';
import { Empty } from '../../parts/empty.tsx';
import { BudgetPanel } from './budget.tsx';
import { Claims } from './claims.tsx';
import { Curve } from './curve/curve.tsx';
import { Feed } from './feed.tsx';
import { Happened } from './happened.tsx';
import { ResearchHeader, useResearch } from './header.tsx';
import { Headline } from './headline.tsx';
import { LatestIdea } from './idea.tsx';
import { Next } from './next.tsx';
import { Steer } from './steer.tsx';
import { UnderWay } from './under-way.tsx';

/** A research on one screen: what it found, what it does, what it costs, what comes next. */
export function ResearchPage({ at: { id = '' } }: { at: Record<string, string> }) {
  const { data: research, error } = useResearch(id);
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
            <div className="main">
              <Curve research={research} />
              <div className="pair">
                <LatestIdea research={research} />
                <Feed research={research} />
              </div>
            </div>
            <div className="side">
              <UnderWay research={research} />
              <Next research={research} />
              <BudgetPanel research={research} />
            </div>
          </div>
          <div className="overview">
            <div className="main">
              <Claims research={research} />
              <Happened research={research} />
            </div>
            <div className="side">
              <Steer research={research} />
            </div>
          </div>
        </>
      )}
    </>
  );
}
