"""Labels: one at a time, or a batch of up to 500."""

from collections.abc import Sequence
from dataclasses import dataclass

from halmkit.errors import Problem
from halmkit.http import endpoint_timeout
from halmkit.logging import get_logger

log = get_logger("orders")

BATCH_TIMEOUT_SECONDS = 5.0  # the exception of ADR-0043 for POST /v2/labels/batch
MAX_BATCH = 500  # labels; 500 take 3.9 s at p99
DECAGRAMS_PER_KILOGRAM = 100  # weights are in decagrams, nobody is proud of it (glossary)


@dataclass(frozen=True, slots=True)
class Label:
    """What the printer gets."""

    parcel_id: str
    depot: str
    weight_decagrams: int
    zpl: str


def render(parcel_id: str, depot: str, weight_decagrams: int) -> Label:
    """Make the ZPL text of one label."""
    kilograms = weight_decagrams / DECAGRAMS_PER_KILOGRAM
    zpl = "\n".join(
        [
            "^XA",
            f"^FO40,40^BY3^BCN,160,Y,N,N^FD{parcel_id}^FS",
            f"^FO40,260^A0N,60,60^FD{depot}^FS",
            f"^FO40,340^A0N,40,40^FD{kilograms:.2f} kg^FS",
            "^XZ",
        ]
    )
    return Label(parcel_id, depot, weight_decagrams, zpl)


@endpoint_timeout(BATCH_TIMEOUT_SECONDS, reason="ADR-0043")
def render_batch(parcels: Sequence[tuple[str, str, int]]) -> list[Label]:
    """Make the labels of a batch; one bad parcel refuses the batch, nothing is printed by half."""
    if len(parcels) > MAX_BATCH:
        raise Problem(422, "batch_too_large", f"at most {MAX_BATCH} labels")
    labels = [render(*parcel) for parcel in parcels]
    log.info("label_batch_printed", count=len(labels))
    return labels
