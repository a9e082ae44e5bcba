"""layer_plan: which layer turns by which rule, and how far it looks."""

import pytest

from pe_lessons.configs import Layer, layer_plan

BOTH = {"rope_theta": 1e6, "rope_local_base_freq": 1e4, "sliding_window": 512}
FAR, NEAR = {"rope_type": "default", "rope_theta": 1e6}, {"rope_type": "default", "rope_theta": 1e4}


def plan(**config):
    return layer_plan({"num_hidden_layers": 4, **config})


@pytest.mark.parametrize("config, wanted", [
    ({}, [Layer(NEAR)] * 4),
    ({"rope_theta": 1e6}, [Layer(FAR)] * 4),
    ({**BOTH, "sliding_window_pattern": 2}, [Layer(NEAR, 512), Layer(FAR)] * 2),
    ({**BOTH, "sliding_window_pattern": 3},
     [Layer(NEAR, 512), Layer(NEAR, 512), Layer(FAR), Layer(NEAR, 512)]),
    ({**BOTH, "layer_types": ["full_attention"] + ["sliding_attention"] * 3, "sliding_window_pattern": 2},
     [Layer(FAR)] + [Layer(NEAR, 512)] * 3),  # the list has the last word
    ({"no_rope_layers": [1, 1, 0, 1]}, [Layer(NEAR), Layer(NEAR), Layer(None), Layer(NEAR)]),
    ({"no_rope_layer_interval": 3}, [Layer(NEAR), Layer(NEAR), Layer(None), Layer(NEAR)]),
    ({"no_rope_layers": [], "no_rope_layer_interval": 4}, [Layer(NEAR)] * 3 + [Layer(None)]),
    ({"layer_types": ["chunked_attention"] * 3 + ["full_attention"], "attention_chunk_size": 64},
     [Layer(NEAR, None, 64)] * 3 + [Layer(NEAR)]),
    ({"layer_types": ["full_attention", "sliding_attention"] * 2, "sliding_window": 8,
      "rope_parameters": {"full_attention": FAR, "sliding_attention": NEAR}},
     [Layer(FAR), Layer(NEAR, 8)] * 2),
    ({"rope_parameters": FAR, "rope_theta": 5.0}, [Layer(FAR)] * 4),
    ({**BOTH, "sliding_window_pattern": 2, "rope_scaling": {"rope_type": "linear", "factor": 8.0}},
     [Layer(NEAR, 512), Layer({"rope_type": "linear", "factor": 8.0, "rope_theta": 1e6})] * 2),
])  # fmt: skip
def test_the_plan_of_a_configuration(config, wanted):
    assert plan(**config) == wanted


@pytest.mark.parametrize("config, error, said", [
    ([], TypeError, "config must be a dict, as json.load gives it, got list"),
    ({}, TypeError, "num_hidden_layers must be a whole number, got None"),
    ({"num_hidden_layers": 0}, ValueError, "num_hidden_layers must be at least 1, got 0"),
    ({"num_hidden_layers": 2, "sliding_window_pattern": 0}, ValueError,
     "sliding_window_pattern must be at least 1"),
    ({"num_hidden_layers": 2, "no_rope_layer_interval": 1.5}, TypeError,
     "no_rope_layer_interval must be a whole"),
    ({"num_hidden_layers": 2, "no_rope_layers": [1]}, ValueError,
     "no_rope_layers must be a list with an entry for each of the 2 layers, got [1]"),
    ({"num_hidden_layers": 2, "layer_types": "full_attention"}, ValueError,
     "layer_types must be a list with an"),
])  # fmt: skip
def test_a_configuration_that_cannot_be_read_is_refused(config, error, said):
    with pytest.raises(error) as raised:
        layer_plan(config)
    assert str(raised.value).startswith(said)
