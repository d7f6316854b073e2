import sys

import pytest
from inline_snapshot import snapshot

from tests.feed.tables import loader


@pytest.mark.parametrize(
    "options",
    [
        {"batch_size": 0},
        {"batch_size": 2.0},
        {"window_rows": 0},
        {"seed": -1},
        {"rows": True},
        {"to": "tf"},
        {"device": "gpu"},
        {"device": "cuda"},
    ],
    ids=str,
)
def test_options_are_checked_when_the_loader_is_made(options):
    name = next(iter(options))

    with pytest.raises((TypeError, ValueError), match=f"^{name}="):
        loader(**{"batch_size": 2, **options})


def test_texts_about_loaders():
    batches = loader(batch_size=2)
    with pytest.raises(LookupError) as features:
        _ = batches.features
    with pytest.raises(TypeError) as length:
        len(batches)
    with pytest.raises(ValueError, match="epoch=-1"):
        batches.set_epoch(-1)
    with pytest.raises(ValueError, match="torch sees no CUDA device") as device:
        loader(batch_size=2, to="torch", device="cuda:1")

    assert [str(caught.value) for caught in (features, length, device)] == snapshot(
        [
            """\
the features are not known before the first table is read
  Name them: features=[...], or pass schema=\
""",
            """\
this loader has no length: how many rows come is known only after they were read
  Count while looping: enumerate(loader)\
""",
            """\
device='cuda:1': torch sees no CUDA device
  Type: device="cpu", or install torch for CUDA\
""",
        ]
    )


def test_without_torch_the_message_says_what_to_type(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)

    with pytest.raises(ImportError) as caught:
        loader(batch_size=2, to="torch")

    assert str(caught.value) == snapshot("""\
to="torch" needs torch
  Type: pip install 'batchprep[torch]'\
""")
