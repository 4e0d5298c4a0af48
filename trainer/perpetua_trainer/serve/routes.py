"""What the server answers, by method and path."""

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
    base: Folder
    together: Together
    steps: Steps


def answer(service: Service, method: str, path: str, body: bytes) -> dict:
    """Raises Refusal, Problem, and what the engine raises."""
    if method == "DELETE" and path.startswith(f"{ADAPTERS}/"):
        return drop(service, path.removeprefix(f"{ADAPTERS}/"))
    found = ROUTES.get((method, path))
    if found is None:
        known = ", ".join(" ".join(one) for one in [*ROUTES, ("DELETE", f"{ADAPTERS}/NAME")])
        raise Problem(404, "no-such-path", f"expected one of {known}, got {method} {path}")
    return found(service, body)


def models(service: Service, _: bytes) -> dict:
    """The names, and the hashes that a batch states."""
    names = service.together.versions.names
    tokens = service.together.tokens
    data = [
        {"id": name, "object": "model", "owned_by": "perpetua", "policy_version": one.id, "kind": one.kind}
        for name, one in names.items()
    ]
    return {
        "object": "list",
        "data": data,
        "base": {"path": service.base.path, "sha256": service.base.sha256},
        "tokenizer": {"sha256": tokens.sha256, "template": tokens.template},
        "max_model_len": tokens.longest,
    }


def load(service: Service, body: bytes) -> dict:
    checkpoint = read_folder(strict.parse(body))
    version = service.together.engine.call(lambda: service.together.versions.load(checkpoint)).result()
    return described(service, version)


def drop(service: Service, name: str) -> dict:
    version = service.together.engine.call(lambda: service.together.versions.drop(name)).result()
    return described(service, version)


def described(service: Service, version) -> dict:
    names = [name for name, one in service.together.versions.names.items() if one == version]
    return {"policy_version": version.id, "kind": version.kind, "names": names}


def tokenize(service: Service, body: bytes) -> dict:
    """Token ids of messages by the template, or of a text: of a teacher's prompt, which nothing samples from."""
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


def trouble(path: str, error: Exception) -> tuple[int, dict]:
    """Status and body of an answer that is no result: the step's own form, and OpenAI's elsewhere."""
    if path == STEP and isinstance(error, Refusal):
        return 422, {"refused": error.as_dict()}
    if path == STEP and not isinstance(error, Problem):
        return 500, {"failed": {"message": f"{type(error).__name__}: {error}"}}
    if isinstance(error, Refusal):
        said = {"message": str(error), "type": "invalid_request_error", "code": error.code, "param": error.path}
        return 400, {"error": said}
    if isinstance(error, Problem):
        said = {"message": str(error), "type": "invalid_request_error", "code": error.code, "param": None}
        return error.status, {"error": said}
    message = f"{type(error).__name__}: {error}"
    return 500, {"error": {"message": message, "type": "server_error", "code": "failed", "param": None}}
