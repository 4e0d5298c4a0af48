import { InvalidArgumentError } from 'commander';
import { parse } from 'yaml';
import { type AbortChoice, ABORTS } from '../domain/abort/table.ts';
import { describeIssue } from '../domain/issue/describe-issue.ts';
import { choiceSchema } from '../domain/method/axis.ts';

const Rule = choiceSchema(ABORTS);
const EXAMPLE = '{"name": "asha", "eta": 4}';

/** Parses a rule of early abort as a task.yaml states it: a name, or a mapping in YAML. Throws InvalidArgumentError. */
export function parseAbortRule(text: string): AbortChoice {
  const value = valueOf(text);
  const parsed = Rule.safeParse(value);
  if (!parsed.success) throw new InvalidArgumentError(describeIssue(parsed.error, value, EXAMPLE));
  return parsed.data;
}

function valueOf(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new InvalidArgumentError(
      `Expected a name, or a mapping in YAML: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
