import type { Researches } from '../../../api/researches.ts';
import type { Setup } from '../../../api/setup.ts';
import { useResource } from '../../data/use-resource.ts';
import { AttentionList } from '../../parts/state/attention.tsx';
import { usePutAway } from '../../parts/state/put-away.ts';
import { useTitle } from '../../parts/state/title.ts';
import { Command } from '../../parts/command.tsx';
import { Empty } from '../../parts/empty.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { formatSeconds } from '../../../../domain/text/format.ts';
import { ResearchTable } from './research-table.tsx';
import { SETUP_MS } from './setup-page.tsx';
import { SetupSteps } from './setup-steps.tsx';

/** Start page: items that need a person, then every research; before the first research, the state of the set-up. */
export function StartPage() {
  const { data, error } = useResource<Researches>('researches', { everyMs: 10_000 });
  useTitle(null, usePutAway(data?.attention ?? []).shown.length);
  const none = data !== undefined && data.researches.length === 0;
  const { data: setup } = useResource<Setup>('setup', { everyMs: data === undefined || none ? SETUP_MS : 10_000 });
  return (
    <>
      <div className="title">
        <h1>Researches</h1>
        {data?.heldBackSeconds ? (
          <span className="quiet small">
            this page is {formatSeconds(data.heldBackSeconds)} behind: a database transaction is still open (see
            pg_stat_activity)
          </span>
        ) : null}
      </div>
      <div className="stack wide">
        {setup && setup.steps.length > 0 && (!setup.done || none) ? <SetupSteps setup={setup} /> : null}
        {data === undefined ? <Empty>{error ? error.message : 'Reading the researches'}</Empty> : null}
        {data && !(none && data.attention.length + data.states.length === 0) ? (
          <AttentionList attention={data.attention} states={data.states} named first={5} />
        ) : null}
        {none ? <First setup={setup} /> : null}
        {data && !none ? <ResearchTable researches={data.researches} /> : null}
        {data && data.damaged.length > 0 ? <Damaged damaged={data.damaged} /> : null}
      </div>
    </>
  );
}

/** Help for an installation without a research. */
function First({ setup }: { setup: Setup | undefined }) {
  const begun = setup !== undefined && setup.steps.length > 0;
  return (
    <section className="panel first">
      <h2>No research yet</h2>
      <p className="quiet">
        {begun
          ? 'Once everything is up, npm start begins the demo, which then appears here. ' +
            'With --no-demo, start it in a terminal:'
          : 'Start one in a terminal; it then appears here.'}
      </p>
      <Command command="npx perpetua start nano-lm" />
    </section>
  );
}

/** Panel with the researches whose rows this version cannot read. */
const Damaged = ({ damaged }: { damaged: Researches['damaged'] }) => (
  <section className="panel">
    <h2>Cannot be read</h2>
    <ul className="small">
      {damaged.map(({ id, message }) => (
        <li key={id}>
          <strong>{id}</strong> <UntrustedText text={message} line max={500} />
        </li>
      ))}
    </ul>
  </section>
);
