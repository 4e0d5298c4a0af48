-- The key of a metric no longer contains its bounds, so that a change of the bounds keeps what was measured.
-- The text is the JSON that tasks/load.ts hashes. Versions without bounds have this key already.
UPDATE "task_versions" SET "metric_key" = encode(sha256(convert_to(
	'["metric/1",{"direction":' || ("task" #> '{metric,direction}')::text
	|| ',"format":' || ("task" #> '{metric,format}')::text
	|| ',"from":' || ("task" #> '{metric,from}')::text
	|| ',"name":' || ("task" #> '{metric,name}')::text
	|| coalesce(',"pattern":' || ("task" #> '{metric,pattern}')::text, '')
	|| '},"' || "evaluator_hash" || '"]', 'UTF8')), 'hex')
WHERE ("task" -> 'metric' ? 'min' OR "task" -> 'metric' ? 'max')
	AND "task" -> 'metric' ?& array['direction', 'format', 'from', 'name'];
