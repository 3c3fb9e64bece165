"""How the model of a workspace is asked for labels, as its test found (`llm.abilities`)."""

from llm import endpoints, models_catalogue, transport


def is_labelling_offline(workspace: int = 0) -> bool:
    """Whether labels are left to the rules: there is no model, or its test found that it cannot be asked for them.

    workspace: may be left out in an open scope, whose workspace it then is.
    """
    endpoint = endpoints.get_endpoint(workspace)
    return endpoint.labels == "rules" or transport.choose_transport(endpoint) == "offline"


def is_labelling_in_json(workspace: int = 0) -> bool:
    """Whether a model is asked for labels as JSON, because it does not obey a forced tool. workspace: as of
    `is_labelling_offline`.
    """
    endpoint = endpoints.get_endpoint(workspace)
    return endpoint.labels == "json" and transport.choose_transport(endpoint) != "offline"


def get_labeller_name(model: str) -> str:
    """The name of what labels in the workspace whose scope is open: `model`, that of the tier "fast", or the offline
    engine's where the model's test found that it cannot be asked.
    """
    is_left = endpoints.get_current_endpoint().labels == "rules"
    return models_catalogue.OFFLINE.name if is_left else model
