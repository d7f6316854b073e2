"""A loop that asks its data frame gets the frame, one over records gets records."""

from __future__ import annotations

import warnings

import pandas as pd

import batchprep as bp


def test_a_loop_over_iterrows_gets_the_frame_itself():
    @bp.vectorize_loop(on_unsupported="ignore")
    def shouted(df):
        for i, row in df.iterrows():
            df.loc[i, "city"] = row["city"].upper()
        return df

    frame = pd.DataFrame({"city": ["a", "b"]})

    assert shouted(frame) is frame
    assert frame["city"].tolist() == ["A", "B"]


def test_a_loop_over_records_of_a_frame_compiles():
    @bp.vectorize_loop
    def counted(records):
        count = 0
        for record in records:
            if record["city"] == "a":
                count += 1
        return count

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert counted(pd.DataFrame({"city": ["a", "b", "a"]})) == 2
