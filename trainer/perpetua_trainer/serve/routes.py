"""Routes of the server: functions by method and path."""

from dataclasses import dataclass

from ..batch import Folder, read_folder
from ..input import strict
from ..input.refusal import Refusal
from .complete import complete
from .problem import Problem
from .request import read_message
from .steps import Steps
from .together import Together

ADAPTERS = "/v1/adapters"
STEP = "/step"


@dataclass(frozen=True)
class Service:
    """Parts of the server that answer requests."""

    base: Folder
    together: Together
    steps: Steps


def answer(service: Service, method: str, path: str, body: bytes) -> dict:
    """Returns the answer to a request. Raises Refusal, Problem, and any exception of a step."""
    if method == "DELETE" and path.startswith(f"{ADAPTERS}/"):
        return drop(service, path.removeprefix(f"{ADAPTERS}/"))
    found = ROUTES.get((method, path))
    if found is None:
        known = ", ".join(" ".join(route) for route in [*ROUTES, ("DELETE", f"{ADAPTERS}/NAME")])
        raise Problem(404, "no-such-path", f"expected one of {known}, got {method} {path}")
    return found(service, body)


def models(service: Service, _: bytes) -> dict:
    """Names of the policy versions, and the hashes that a batch states."""
    names = service.together.versions.names
    tokens = service.together.tokens
    data = [
        {"id": name, "object": "model", "owned_by": "perpetua", "policy_version": version.id, "kind": version.kind}
        for name, version in names.items()
    ]
    return {
        "object": "list",
        "data": data,
        "base": {"path": service.base.path, "sha256": service.base.sha256},
        "tokenizer": {"sha256": tokens.sha256, "template": tokens.template},
        "max_model_len": tokens.longest,
    }


def load(service: Service, body: bytes) -> dict:
    """Loads a checkpoint {path, sha256}. Raises Refusal or Problem."""
    checkpoint = read_folder(strict.parse(body))
    version = service.together.engine.call(lambda: service.together.versions.load(checkpoint)).result()
    return described(service, version)


def drop(service: Service, name: str) -> dict:
    """Drops the version of a name. Raises Problem."""
    version = service.together.engine.call(lambda: service.together.versions.drop(name)).result()
    return described(service, version)


def described(service: Service, version) -> dict:
    """Description of a version, with its current names."""
    names = [name for name, other in service.together.versions.names.items() if other == version]
    return {"policy_version": version.id, "kind": version.kind, "names": names}


def tokenize(service: Service, body: bytes) -> dict:
    """Token ids of {messages}, by the chat template, or of {prompt}, a text.

    A batch needs the ids of teacher prompts, which are in no answer since no request samples from them.
    """
    root, tokens = strict.parse(body), service.together.tokens
    if type(root.value) is dict and "messages" in root.value:
        strict.record(root, {"messages"})
        ids = tokens.of_chat(strict.array(root.at("messages"), read_message))
    else:
        ids = tokens.of_text(strict.text(strict.record(root, {"prompt"}).at("prompt")))
    return {"tokens": ids, "count": len(ids), "max_model_len": tokens.longest}


ROUTES = {
    ("GET", "/v1/models"): models,
    ("POST", "/v1/chat/completions"): lambda service, body: complete(service.together, body, chat=True),
    ("POST", "/v1/completions"): lambda service, body: complete(service.together, body, chat=False),
    ("POST", ADAPTERS): load,
    ("POST", "/tokenize"): tokenize,
    ("POST", STEP): lambda service, body: service.steps.answer(body),
}


def error_answer(path: str, error: Exception) -> tuple[int, dict]:
    """Status and body of the answer to a request that raised: the form of `step` for a step, else OpenAI's."""
    if path == STEP and isinstance(error, Refusal):
        return 422, {"refused": error.as_dict()}
    if path == STEP and not isinstance(error, Problem):
        return 500, {"failed": {"message": f"{type(error).__name__}: {error}"}}
    if isinstance(error, Refusal):
        details = {"message": str(error), "type": "invalid_request_error", "code": error.code, "param": error.path}
        return 400, {"error": details}
    if isinstance(error, Problem):
        details = {"message": str(error), "type": "invalid_request_error", "code": error.code, "param": None}
        return error.status, {"error": details}
    message = f"{type(error).__name__}: {error}"
    return 500, {"error": {"message": message, "type": "server_error", "code": "failed", "param": None}}
