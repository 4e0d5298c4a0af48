import type { Call } from '../../../api/trials/trial.ts';
import { formatCount, formatSeconds, formatUsd } from '../../../../domain/text/format.ts';
import { plural } from '../../../../domain/text/plural.ts';
import { visible } from '../../../../domain/text/visible.ts';
import { Copy } from '../../parts/copy.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';

/** A turn: the messages sent, the answer, and the tool calls in it. */
export function Turn({ call, unfolded }: { call: Call; unfolded: boolean }) {
  const { turn, role, model, bodies, before, messages, answer, tools, error, parts } = call;
  return (
    <details className="turn" open={unfolded}>
      <summary>
        <span className="turn-no">Turn {turn + 1}</span>
        <UntrustedText text={model} line max={100} />
        {role === 'evaluator' ? <span className="small">evaluator</span> : null}
        <span className="quiet small">{factsOf(call)}</span>
        {error === null ? null : <span className="bad small">failed</span>}
      </summary>
      {error === null ? null : (
        <p className="bad">
          <UntrustedText text={error} max={2000} />
        </p>
      )}
      {bodies === 'kept' ? null : <p className="quiet small">{ABSENT[bodies]}</p>}
      {parts === null ? null : <p className="quiet small">About {parts} tokens (characters / 4).</p>}
      {before === 0 ? null : (
        <p className="quiet small">The request has {plural(before, 'message')} of earlier turns, too.</p>
      )}
      {messages.map(({ role, text }, index) => (
        <Message key={index} role={role} text={text} name={`the message of ${visible(role)}`} />
      ))}
      {answer === null ? null : <Message role="answer" text={answer} name="the answer" unfolded />}
      {tools.map(({ name, input, output }, index) => (
        <div key={index} className="tool">
          <Message role={`tool ${name}`} text={input} name={`the input of ${visible(name)}`} />
          {output === null ? (
            <p className="quiet small">It returned no output.</p>
          ) : (
            <Message role={`output of ${name}`} text={output} name={`the output of ${visible(name)}`} />
          )}
        </div>
      ))}
    </details>
  );
}

const ABSENT = {
  removed: 'Request and answer were removed: they were older than PERPETUA_CALL_DAYS.',
  withheld: 'No page shows what an evaluator asked. Its owner reads it with perpetua calls --evaluator.',
} as const;

interface MessageProps {
  role: string;
  text: string;
  /** Name of the text for the button that copies it. */
  name: string;
  unfolded?: boolean;
}

/** Limit of characters shown of a text; a copy has all of them. */
const SHOWN = 20_000;

function Message({ role, text, name, unfolded = false }: MessageProps) {
  return (
    <details className="said" open={unfolded}>
      <summary>
        <span className="role">
          <UntrustedText text={role} line max={100} />
        </span>
        <span className="first-words quiet">
          <UntrustedText text={text.slice(0, 400)} line max={160} />
        </span>
        <span className="quiet small">{plural(text.length, 'character')}</span>
      </summary>
      <div className="said-text">
        <Copy text={text} name={name} />
        <pre tabIndex={0}>
          <UntrustedText text={text} max={SHOWN} />
        </pre>
      </div>
    </details>
  );
}

const factsOf = ({ tokensIn, tokensOut, tokensCached, tokensReasoning, usd, seconds, tools, marks }: Call): string =>
  [
    tokensIn === null ? null : `${formatCount(tokensIn)} tokens in${share(tokensCached, 'cached')}`,
    tokensOut === null ? null : `${formatCount(tokensOut)} out${share(tokensReasoning, 'reasoning')}`,
    usd === null ? null : formatUsd(usd),
    seconds === null ? null : formatSeconds(seconds),
    tools.length > 0 ? plural(tools.length, 'tool call') : null,
    ...marks,
  ]
    .filter(Boolean)
    .join(' · ');

const share = (tokens: number | null, name: string): string =>
  tokens === null || tokens === 0 ? '' : ` (${formatCount(tokens)} ${name})`;
